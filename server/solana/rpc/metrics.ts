/** Counts the calls of this process to the nodes of one chain, by method. */
export type MethodMetrics = { calls: number; errors: number; seconds: number }

export class RpcMetrics {
  readonly #byMethod = new Map<string, MethodMetrics>()

  note(method: string, { failed, seconds }: { failed: boolean; seconds: number }): void {
    const one = this.#byMethod.get(method) ?? { calls: 0, errors: 0, seconds: 0 }
    one.calls += 1
    one.errors += failed ? 1 : 0
    one.seconds += seconds
    this.#byMethod.set(method, one)
  }

  get byMethod(): ReadonlyMap<string, Readonly<MethodMetrics>> {
    return this.#byMethod
  }
}
