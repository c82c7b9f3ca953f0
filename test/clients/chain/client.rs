//! Uses a chain from Rust, with solana-rpc-client: `cargo run -- <rpc>`.
use solana_commitment_config::CommitmentConfig;
use solana_keypair::{Keypair, Signer};
use solana_pubkey::Pubkey;
use solana_rpc_client::{api::config::RpcTransactionConfig, rpc_client::RpcClient};
use solana_system_interface::instruction::transfer;
use solana_transaction::Transaction;
use solana_transaction_status_client_types::UiTransactionEncoding;

const SOL: u64 = 1_000_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).expect("an address");
    let client = RpcClient::new_with_commitment(url, CommitmentConfig::confirmed());
    let (payer, to) = (Keypair::new(), Pubkey::new_unique());
    client.get_health()?;
    client.get_version()?;
    client.get_genesis_hash()?;
    client.get_identity()?;
    client.get_slot()?;
    client.get_block_height()?;
    client.get_epoch_info()?;
    client.get_epoch_schedule()?;
    client.get_inflation_governor()?;
    client.get_inflation_rate()?;
    client.get_slot_leaders(client.get_slot()?, 3)?;
    client.get_first_available_block()?;
    client.get_transaction_count()?;
    client.get_stake_minimum_delegation()?;
    assert_eq!(client.get_cluster_nodes()?.len(), 1);
    assert_eq!(client.get_vote_accounts()?.current.len(), 1);
    assert!(client.supply()?.value.total > 0);
    assert!(client.get_block_production()?.value.by_identity.len() == 1);
    client.get_recent_prioritization_fees(&[])?;
    client.get_minimum_balance_for_rent_exemption(165)?;

    let airdrop = client.request_airdrop(&payer.pubkey(), 10 * SOL)?;
    client.poll_for_signature(&airdrop)?;
    assert_eq!(client.get_balance(&payer.pubkey())?, 10 * SOL);
    let account = client.get_account(&payer.pubkey())?;
    assert_eq!((account.lamports, account.rent_epoch), (10 * SOL, u64::MAX));
    assert!(client.get_account(&to).is_err());
    assert_eq!(client.get_multiple_accounts(&[payer.pubkey(), to])?.len(), 2);

    let blockhash = client.get_latest_blockhash()?;
    let sent = Transaction::new_signed_with_payer(
        &[transfer(&payer.pubkey(), &to, SOL)],
        Some(&payer.pubkey()),
        &[&payer],
        blockhash,
    );
    assert_eq!(client.get_fee_for_message(&sent.message)?, 5_000);
    let simulated = client.simulate_transaction(&sent)?.value;
    assert!(simulated.err.is_none() && simulated.units_consumed > Some(0));
    let signature = client.send_and_confirm_transaction(&sent)?;
    assert_eq!(client.get_balance(&to)?, SOL);
    for encoding in [UiTransactionEncoding::Json, UiTransactionEncoding::JsonParsed, UiTransactionEncoding::Base64] {
        let config = RpcTransactionConfig {
            encoding: Some(encoding),
            commitment: Some(CommitmentConfig::confirmed()),
            max_supported_transaction_version: Some(0),
        };
        let found = client.get_transaction_with_config(&signature, config)?;
        assert_eq!(found.transaction.meta.expect("a meta").fee, 5_000);
    }
    assert_eq!(client.get_signature_statuses_with_history(&[signature])?.value.len(), 1);
    while client.get_signatures_for_address(&to)?.is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let too_much = Transaction::new_signed_with_payer(
        &[transfer(&payer.pubkey(), &to, 1_000_000 * SOL)],
        Some(&payer.pubkey()),
        &[&payer],
        client.get_latest_blockhash()?,
    );
    let refused = client.send_transaction(&too_much).expect_err("a transfer of too much was accepted");
    assert!(refused.get_transaction_error().is_some());
    println!("solana-rpc-client: every call succeeded");
    Ok(())
}
