/** A token is four characters, everywhere: budgets, counts and cutting agree without a model's tokenizer. */
export const countTokens = (text: string): number => Math.ceil(text.length / 4)
