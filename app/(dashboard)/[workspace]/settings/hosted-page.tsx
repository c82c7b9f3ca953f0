import { useState } from "react"
import { useMutation, useQuery, useRefresh, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { upload } from "#app/api.ts"
import { Field, FileField, Form, Submit, TextField } from "#app/components/form.tsx"
import { Card, Facts, Loaded } from "#app/components/frame.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { Input } from "#app/components/ui/input.tsx"
import type { Brand } from "#domain/accounts"
import { brandColors, inkOn, isColor, surfaces } from "#shared/contrast.ts"
import { MAX_LOGO_BYTES } from "#shared/logo.ts"

/** The company's logo, color and contact for investors. Owners change them. */
export function HostedPage({ company }: { company: string }) {
  const { can } = useWorkspace()
  const query = useQuery("workspace.brand")
  return (
    <Card
      title="Hosted page"
      description="What investors see when they verify. Both workspaces share it."
      className="lg:col-span-2"
    >
      <Loaded query={query} what="the hosted page" lines={4}>
        {(data) =>
          can("member:write") ? (
            <BrandForm brand={data} company={company} />
          ) : (
            <Facts
              facts={{
                Logo: data.logo ? <Logo logo={data.logo} company={company} /> : "None",
                Color: data.color ?? "Vouch’s own",
                Contact: data.contact ?? "None",
              }}
            />
          )
        }
      </Loaded>
    </Card>
  )
}

function BrandForm({ brand, company }: { brand: Brand; company: string }) {
  const { id } = useWorkspace()
  const refresh = useRefresh()
  const [color, setColor] = useState(brand.color ?? "")
  // An upload empties the field.
  const [uploads, setUploads] = useState(0)
  const save = useMutation((api, next: Pick<Brand, "color" | "contact">) => api.workspace.setBrand.mutate(next))
  const removeLogo = useMutation((api) => api.workspace.removeLogo.mutate())
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <Form
        check={(values) => problemsOf(values)}
        onSubmit={async (values) => {
          const logo = values.get("logo") as File
          if (logo.size > 0) {
            await upload(`/api/upload/logo?workspace=${id}`, logo)
            setUploads((count) => count + 1)
          }
          await save.mutateAsync({
            color: textOf(values, "color")?.toLowerCase() ?? null,
            contact: textOf(values, "contact"),
          })
          await refresh()
          notify("Hosted page saved")
        }}
      >
        <FileField
          name="logo"
          label="Logo"
          hint="PNG, JPEG or WebP, up to 100 kB. Shown 40 pixels high."
          key={uploads}
          accept="image/png,image/jpeg,image/webp"
        />
        <Field name="color" label="Color" hint="For buttons and marks, such as #1d4ed8. Leave empty for Vouch’s own.">
          <div className="flex gap-2">
            <input
              type="color"
              aria-label="Pick from a palette"
              value={isColor(color.toLowerCase()) ? color.toLowerCase() : own.light}
              onChange={({ target }) => setColor(target.value)}
              className="h-9 w-12 shrink-0 cursor-pointer rounded-md border border-field bg-surface p-1 pointer-coarse:h-11"
            />
            <Input
              className="font-mono"
              value={color}
              maxLength={7}
              placeholder={own.light}
              onChange={({ target }) => setColor(target.value)}
            />
          </div>
        </Field>
        <TextField
          name="contact"
          label="Contact"
          hint="Where investors get help: an email address or an https:// URL."
          defaultValue={brand.contact ?? ""}
          maxLength={200}
        />
        <div className="flex flex-wrap gap-2">
          <Submit variant="outline">Save hosted page</Submit>
          {brand.logo && (
            <Button variant="ghost" pending={removeLogo.isPending} onClick={() => removeLogo.mutate()}>
              Remove logo
            </Button>
          )}
        </div>
      </Form>
      <figure className="min-w-0">
        <figcaption className="mb-1.5 text-[13px] font-medium">Preview</figcaption>
        <div className="grid gap-3 sm:grid-cols-2">
          {(["light", "dark"] as const).map((scheme) => (
            <Preview key={scheme} scheme={scheme} logo={brand.logo} color={color} company={company} />
          ))}
        </div>
      </figure>
    </div>
  )
}

const textOf = (values: FormData, name: string): string | null => String(values.get(name)).trim() || null

function problemsOf(values: FormData) {
  const color = textOf(values, "color")
  return {
    ...((values.get("logo") as File).size > MAX_LOGO_BYTES && {
      logo: "Larger than 100 kB. Export a smaller image.",
    }),
    ...(color !== null && !isColor(color.toLowerCase()) && { color: "Must be a color such as #1d4ed8." }),
  }
}

const Logo = ({ logo, company }: { logo: NonNullable<Brand["logo"]>; company: string }) => (
  // biome-ignore lint/performance/noImgElement: the server returns the uploaded file unchanged
  <img
    src={logo.path}
    width={logo.width}
    height={logo.height}
    alt={company}
    className="h-auto max-h-10 w-auto max-w-full object-contain"
  />
)

/** Vouch's own: `--accent` in tokens.css. */
const own = { light: "#0b6e4f", dark: "#5fd3a4" } as const

type PreviewProps = {
  scheme: keyof typeof surfaces
  logo: Brand["logo"]
  color: string
  company: string
}

/** A preview of the header and the button in the colors of the hosted page. */
function Preview({ scheme, logo, color, company }: PreviewProps) {
  const given = color.trim().toLowerCase()
  const colors = brandColors(isColor(given) ? given : own[scheme], surfaces[scheme])
  return (
    // Sets all colors itself, because the page around it may use the other scheme.
    <div
      style={{ background: surfaces[scheme], color: inkOn(surfaces[scheme]) }}
      className="rounded-lg border border-line p-4"
    >
      <div className="flex min-h-10 items-center font-semibold">
        {logo ? (
          <Logo logo={logo} company={company} />
        ) : (
          <span dir="auto" className="min-w-0 wrap-anywhere">
            {company}
          </span>
        )}
      </div>
      <div
        style={{
          background: colors.button,
          color: colors.buttonInk,
          borderColor: colors.needsEdge ? "currentColor" : "transparent",
        }}
        className="mt-3 rounded-lg border px-4 py-2.5 text-center text-sm font-medium"
      >
        Continue
      </div>
    </div>
  )
}
