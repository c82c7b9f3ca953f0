export declare const POSTGRES: string
export declare const DEBIAN_PACKAGES: string[]
export declare function findPgbouncer(): string | undefined
export declare function hasPostgres15(): boolean
