using System.Globalization;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.ServiceDefaults.Emulation;

/// <summary>
/// When a call was sent, by the machine's monotonic clock, which all of its processes share. The published latencies are those that the
/// caller saw, so a sample begins at the caller where caller and callee are on one machine.
/// </summary>
internal static class SentAt
{
    public const string Header = "Emulation-Sent-At";

    /// <summary>The time by <paramref name="time"/>, or now where the call does not say it or says nonsense.</summary>
    public static long Of(HttpRequest request, TimeProvider time)
    {
        var now = time.GetTimestamp();
        return long.TryParse(request.Headers[Header], NumberStyles.None, CultureInfo.InvariantCulture, out var sent) && sent <= now ? sent : now;
    }

    /// <summary>Says it of each attempt.</summary>
    public sealed class Handler(HttpMessageHandler inner, TimeProvider time) : DelegatingHandler(inner)
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            request.Headers.Remove(Header);
            request.Headers.Add(Header, time.GetTimestamp().ToString(CultureInfo.InvariantCulture));
            return base.SendAsync(request, cancellationToken);
        }
    }
}
