import { Document } from '../../../../shared/web/help/document-page.tsx'

/** The API of the service, which agents and programs call. */
export const ApiReferencePage = () => <Document name="api-hosted" title="API reference" />
