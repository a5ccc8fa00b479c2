const { library } = document.currentScript.dataset

/** A cached page reaches no server, so the page itself reports that it was seen. */
const count = () => navigator.sendBeacon('/api/v2/libs/view', JSON.stringify({ libraryId: library }))
if (library !== undefined && document.prerendering) document.addEventListener('prerenderingchange', count, { once: true })
else if (library !== undefined) count()

for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('code').textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
}
