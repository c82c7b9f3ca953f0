export { Providers as default } from "./providers.tsx"
