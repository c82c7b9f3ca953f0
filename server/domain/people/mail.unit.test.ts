import { expect, test } from "vitest"
import { mailboxOf } from "./mail.ts"

test.each([
  [
    "bob@mail.example.com",
    [
      "Bob@Mail.Example.com",
      "bob+x@mail.example.com",
      "bob@mail。example.com",
      "bob@mail．example.com",
      "bob@mail.example.com.",
    ],
  ],
  ["bob@xn--exmple-cua.com", ["bob@exämple.com", "bob@EXÄMPLE.com"]],
  ["bobsmith@gmail.com", ["bob.smith@googlemail.com", "b.obsmith+1@Gmail.com"]],
])("%s is one mailbox, however it is spelled", (mailbox, ways) => {
  expect([mailbox, ...ways].map(mailboxOf)).toEqual([mailbox, ...ways].map(() => mailbox))
})

test("other mailboxes are counted separately", () => {
  expect(mailboxOf("b.ob@example.com")).not.toBe(mailboxOf("bob@example.com"))
})
