export { PageCard as default } from "#app/components/frame.tsx"
