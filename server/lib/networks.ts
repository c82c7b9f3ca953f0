import { BlockList, isIP } from "node:net"

/** Parses addresses and CIDR ranges separated by commas. Null if there are none. Errors name the setting. */
export function parseNetworks(setting: string, text: string): BlockList | null {
  if (text.trim() === "") return null
  const list = new BlockList()
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (entry === "") continue
    const [address, bits] = entry.split("/") as [string, string?]
    const family = isIP(address)
    if (family === 0 || (bits !== undefined && !isPrefixLength(bits, family)))
      throw new Error(`${setting}: ${entry} is neither an address nor a CIDR range`)
    const type = family === 6 ? "ipv6" : "ipv4"
    if (bits === undefined) list.addAddress(address, type)
    else list.addSubnet(address, Number(bits), type)
  }
  return list
}

const isPrefixLength = (bits: string, family: number): boolean =>
  /^[0-9]{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32)
