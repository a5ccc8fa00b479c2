import { encode } from 'uqr'

type QrCodeProps = { text: string; label: string }

/** Dark on white in every theme: many readers know nothing else. */
export function QrCode({ text, label }: QrCodeProps) {
  const { data, size } = encode(text, { border: 3 })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} width={200} height={200} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
