import { Document } from '../../../../shared/web/help/document-page.tsx'

/** The API of an install. */
export const ApiReferencePage = () => <Document name="api-onprem" title="API reference" />
