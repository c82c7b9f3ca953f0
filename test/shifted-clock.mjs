// Loaded before a server (node --import): its clock is wrong from the first line on, and is set by messages.
const Real = Date
let offset_ms = Number(process.env.CLOCK_OFFSET_MS ?? 0)

globalThis.Date = class extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() + offset_ms)
    else super(...given)
  }
  static now() {
    return Real.now() + offset_ms
  }
}

process.on("message", (message) => {
  if (typeof message.offset_ms === "number") offset_ms = message.offset_ms
})
