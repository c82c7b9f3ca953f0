import { createElement, type MouseEvent } from "react"
import { expect, test, vi } from "vitest"
import { Slot } from "./slot.tsx"

type Props = Parameters<typeof Slot>[0]

/** The child's attributes inside the slot. */
const propsOf = (own: Partial<Props>, given: Omit<Props, "children">) =>
  Slot({ ...given, children: createElement("a", own) }).props

test("the child gets the slot's attributes and keeps its own", () => {
  const props = propsOf({ id: "own", "aria-label": "Own" }, { id: "given", title: "Given" })
  expect(props).toMatchObject({ id: "own", "aria-label": "Own", title: "Given" })
})

test("the classes of both are joined, the child's last", () => {
  expect(propsOf({ className: "b" }, { className: "a" }).className).toBe("a b")
  expect(propsOf({}, { className: "a" }).className).toBe("a")
  expect(propsOf({ className: "b" }, {}).className).toBe("b")
})

test("a click calls the child's handler, then the slot's", () => {
  const done: string[] = []
  const handler = (name: string) => () => void done.push(name)
  const click = {} as MouseEvent<HTMLElement>
  propsOf({ onClick: handler("own") }, { onClick: handler("given") }).onClick?.(click)
  expect(done).toEqual(["own", "given"])
  const given = vi.fn()
  propsOf({}, { onClick: given }).onClick?.(click)
  propsOf({ onClick: given }, {}).onClick?.(click)
  expect(given).toHaveBeenCalledTimes(2)
})
