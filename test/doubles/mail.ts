import { type AddressInfo, createServer, type Server } from "node:net"
import { waitFor } from "../fixtures/app.ts"

export type Received = { to: string; text: string }

/** A mail server (RFC 5321) that accepts everything except mail to refused@. */
export function startMailServer(): Promise<{ server: Server; url: string; received: Received[] }> {
  const received: Received[] = []
  const server = createServer((socket) => {
    let to = ""
    let body: string | null = null
    let rest = ""
    socket.write("220 mail.test\r\n")
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      rest += chunk
      for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 2)
        if (body !== null && line !== ".") body += `${line}\n`
        else if (body !== null) {
          received.push({ to, text: body.replaceAll("=\n", "").replaceAll("=3D", "=") })
          body = null
          socket.write("250 kept\r\n")
        } else if (/^DATA/i.test(line)) {
          body = ""
          socket.write("354 go on\r\n")
        } else if (/^QUIT/i.test(line)) socket.end("221 bye\r\n")
        else {
          to = /^RCPT TO:<(.*)>/i.exec(line)?.[1] ?? to
          socket.write(/^RCPT TO:<refused@/i.test(line) ? "550 no such mailbox\r\n" : "250 fine\r\n")
        }
      }
    })
  })
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resolve({ server, url: `smtp://127.0.0.1:${port}`, received })
    }),
  )
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>

/** The token of the link in the latest mail to an address, once the address has more than `after` mails. */
export async function mailedToken({ received }: MailServer, to: string, after = 0): Promise<string> {
  const { text } = await waitFor(async () => {
    const mails = received.filter((mail) => mail.to === to)
    return mails.length > after ? mails.at(-1)! : null
  }, `mail to ${to}`)
  return /token=([\w-]{43})/.exec(text)![1]!
}
