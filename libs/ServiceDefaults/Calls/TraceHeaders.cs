using System.Diagnostics;

namespace DroneDelivery.ServiceDefaults.Calls;

internal static class TraceHeaders
{
    /// <summary>
    /// For a request that is sent again. The transport adds trace headers only where there are none, so a second attempt would go out in
    /// the name of the first.
    /// </summary>
    public static void RemoveTraceHeaders(this HttpRequestMessage request)
    {
        foreach (var header in DistributedContextPropagator.Current.Fields)
            request.Headers.Remove(header);
    }
}
