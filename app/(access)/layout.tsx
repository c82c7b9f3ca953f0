export { PageCard as default } from "#app/components/layout.tsx"
