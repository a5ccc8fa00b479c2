import { useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ConfirmDialog } from '../../../shared/web/confirm-dialog.tsx'
import { showToast } from '../../../shared/web/toast.tsx'
import { deleteLibrary } from '../api/delete-library.ts'
import { type LibraryDetails, libraryQuery } from '../api/library-query.ts'
import { lossOf } from '../pages/library/loss-of.ts'

/** Asks for the deletion of a library on any page. A library that the user may not delete is reported instead. */
export function useDeleteLibrary() {
  const queryClient = useQueryClient()
  const [library, setLibrary] = useState<LibraryDetails>()
  const ask = async (id: string) => {
    try {
      const details = await queryClient.fetchQuery({ ...libraryQuery(id.slice(1)), staleTime: 0 })
      if (details.mayDelete) setLibrary(details)
      else await showToast({ message: `You may not delete ${details.title}. Ask an admin of this install.` })
    } catch (error) {
      await showToast({ message: (error as Error).message })
    }
  }
  return { library, ask, close: () => setLibrary(undefined) }
}

export function DeleteLibraryDialog({ library, close }: { library: LibraryDetails | undefined; close: () => void }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  if (!library) return null
  const remove = async () => {
    await deleteLibrary(library.id)
    if (decodeURIComponent(pathname) === `/libraries${library.id}`) await navigate({ to: '/libraries' })
    await queryClient.invalidateQueries({ queryKey: ['libraries'] })
  }
  return (
    <ConfirmDialog
      opened
      close={close}
      question={`Delete ${library.id}?`}
      consequence={lossOf(library)}
      typed={library.imported ? library.id : undefined}
      verb="Delete library"
      done={undefined}
      onConfirm={remove}
    />
  )
}
