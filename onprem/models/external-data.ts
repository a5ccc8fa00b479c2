import { type FileHandle, open } from 'node:fs/promises'

/** `inside`: the model's weights are all in its file. `outside`: it names other files. `invalid`: the file is no ONNX model. */
export type DataLocation = 'inside' | 'outside' | 'invalid'

type Message = 'model' | 'training' | 'graph' | 'function' | 'node' | 'attribute' | 'sparse' | 'tensor'

/** The fields of ONNX messages that lead to tensors (onnx.proto3). */
const inner: Record<Message, Partial<Record<number, Message>>> = {
  model: { 7: 'graph', 20: 'training', 25: 'function' },
  training: { 1: 'graph', 2: 'graph' },
  graph: { 1: 'node', 5: 'tensor', 15: 'sparse' },
  function: { 7: 'node', 11: 'attribute' },
  node: { 5: 'attribute' },
  attribute: { 5: 'tensor', 6: 'graph', 10: 'tensor', 11: 'graph', 22: 'sparse', 23: 'sparse' },
  sparse: { 1: 'tensor', 2: 'tensor' },
  tensor: {},
}
const graphField = 7
/** Fields of a tensor: the paths of its data, and where its data is. */
const externalData = 13
const dataLocation = 14
const external = 1n

const maxDepth = 64
const maxFields = 2_000_000
const windowBytes = 64 * 1024
/** A tag and a length. */
const maxHeadBytes = 20

class InvalidModel extends Error {}
class ExternalData extends Error {}

/** Finds out whether an ONNX file names other files as its data. Reads the heads of its fields only. */
export async function dataLocationOf(path: string): Promise<DataLocation> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const seen = { fields: 0, hasGraph: false }
    await walk(windowOf(file), { from: 0, to: size, message: 'model', depth: 0 }, seen)
    return seen.hasGraph ? 'inside' : 'invalid'
  } catch (error) {
    if (error instanceof ExternalData) return 'outside'
    if (error instanceof InvalidModel) return 'invalid'
    throw error
  } finally {
    await file.close()
  }
}

type Range = { from: number; to: number; message: Message; depth: number }
type Window = (at: number) => Promise<Buffer>

async function walk(window: Window, { from, to, message, depth }: Range, seen: { fields: number; hasGraph: boolean }) {
  if (depth > maxDepth) throw new InvalidModel()
  for (let at = from; at < to; ) {
    seen.fields += 1
    if (seen.fields > maxFields) throw new InvalidModel()
    const head = await window(at)
    const tag = readVarint(head, 0)
    const field = Number(tag.value >> 3n)
    const wireType = Number(tag.value & 7n)
    at += tag.bytes
    if (message === 'tensor' && field === externalData) throw new ExternalData()
    if (wireType === 0) {
      const number = readVarint(head, tag.bytes)
      if (message === 'tensor' && field === dataLocation && number.value === external) throw new ExternalData()
      at += number.bytes
    } else if (wireType === 1) at += 8
    else if (wireType === 5) at += 4
    else if (wireType === 2) {
      const length = readVarint(head, tag.bytes)
      at += length.bytes
      const end = at + Number(length.value)
      if (end > to) throw new InvalidModel()
      if (message === 'model' && field === graphField) seen.hasGraph = true
      const next = inner[message][field]
      if (next) await walk(window, { from: at, to: end, message: next, depth: depth + 1 }, seen)
      at = end
    } else throw new InvalidModel()
    if (at > to) throw new InvalidModel()
  }
}

/** Returns at least the head of a field at each offset, unless the file ends. */
function windowOf(file: FileHandle): Window {
  const buffer = Buffer.alloc(windowBytes)
  let start = 0
  let bytes = 0
  return async (at) => {
    if (at < start || at + maxHeadBytes > start + bytes) {
      start = at
      bytes = (await file.read(buffer, 0, windowBytes, at)).bytesRead
    }
    return buffer.subarray(at - start, bytes)
  }
}

function readVarint(bytes: Buffer, at: number): { value: bigint; bytes: number } {
  let value = 0n
  for (let n = 0; n < 10; n++) {
    const byte = bytes[at + n]
    if (byte === undefined) break
    value |= BigInt(byte & 0x7f) << BigInt(7 * n)
    if (byte < 0x80) return { value, bytes: n + 1 }
  }
  throw new InvalidModel()
}
