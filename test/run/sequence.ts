import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * Longest first, like Vitest, but with the chaos tests spread evenly among the others and the longest test at the very
 * beginning. Vitest runs one project after the other: at the end, three workers would wait minutes for the last test.
 */
export default class Sequence extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isChaos = (file: TestSpecification): boolean => file.project.name === "chaos"
    const first = sorted.filter((file) => isChaos(file) && file.moduleId.endsWith("/chaos.test.ts"))
    const chaos = sorted.filter((file) => isChaos(file) && !first.includes(file))
    const others = sorted.filter((file) => !isChaos(file))
    const slow = others.filter((file) => file.project.name === "slow")
    if (chaos.length === 0 || slow.length === 0) return sorted

    const begin = others.indexOf(slow[0]!)
    const step = Math.ceil(slow.length / (chaos.length + 1))
    const mixed = slow.flatMap((file, at) => (at % step === 0 && chaos.length > 0 ? [chaos.shift()!, file] : [file]))
    return [...others.slice(0, begin), ...first, ...mixed, ...chaos, ...others.slice(begin + slow.length)]
  }
}
