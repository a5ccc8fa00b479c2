/** English function and question words, which do not say what a question is about. */
export const functionWords = new Set(
  `a about above after again all also am an and any anyone anything are aren as at be because been before being
below between both but by can cannot cant could couldn did didn do does doesn doing don down during each
either else ever every few for from further get gets getting got had hadn has hasn have haven having he her
here hers him his how however i if in into is isn it its itself just like ll many may maybe me might more most
much must my myself need needs neither no nor not now of off on one only onto or other our ours out over own
per please possible properly really shall she should shouldn since so some someone something such sure than
that the their theirs them then there these they thing things this those through to too try trying under until
up upon us use used uses using ve very want wants was wasn way ways we well were weren what whatever when
where whether which while who whom whose why will wish with within without won would wouldn yet you your yours`.split(/\s+/),
)
