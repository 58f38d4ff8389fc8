using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Http;
using Microsoft.Extensions.Options;

namespace DroneDelivery.LabAgent.Emulation;

/// <summary>
/// The start of a sampled latency, by the monotonic clock that all processes of a machine share. The published latencies were measured by
/// callers and include the network.
/// </summary>
internal static class SentAt
{
    public const string Header = "Emulation-Sent-At",
        AnsweredHeader = "Emulation-Answered-At";

    /// <summary>Returns the send time, or the current time if the header is missing or invalid.</summary>
    public static long Of(HttpRequest request, TimeProvider time)
    {
        var now = time.GetTimestamp();
        return Read(request.Headers[Header]) is { } sent && sent <= now ? sent : now;
    }

    /// <summary>Adds the response time for callers that support it.</summary>
    public static void AddResponseTime(HttpContext context, TimeProvider time)
    {
        if (context.Request.Headers.ContainsKey(Header))
            context.Response.Headers[AnsweredHeader] = Text(time.GetTimestamp());
    }

    private static long? Read(string? text) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var timestamp) ? timestamp : null;

    private static string Text(long timestamp) => timestamp.ToString(CultureInfo.InvariantCulture);

    public sealed class Filter(IOptions<EmulationOptions> options, TimeProvider time) : IHttpMessageHandlerBuilderFilter
    {
        public Action<HttpMessageHandlerBuilder> Configure(Action<HttpMessageHandlerBuilder> next) =>
            builder =>
            {
                next(builder);
                if (options.Value.TellsWhenSent)
                    builder.AdditionalHandlers.Add(new Handler(time)); // innermost, so it sees every attempt
            };
    }

    /// <summary>Adds the send time to each attempt, moved back by the mean duration of a response's way back.</summary>
    private sealed class Handler(TimeProvider time) : DelegatingHandler
    {
        private readonly MeanLateness _wayBack = new();

        protected override async Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request,
            CancellationToken cancellationToken
        )
        {
            request.Headers.Remove(Header);
            request.Headers.Add(
                Header,
                Text(time.GetTimestamp() - (long)(_wayBack.Mean.TotalSeconds * time.TimestampFrequency))
            );
            var response = await base.SendAsync(request, cancellationToken);
            if (response.Headers.TryGetValues(AnsweredHeader, out var values) && Read(values.First()) is { } answered)
                _wayBack.Add(time.GetElapsedTime(answered));
            return response;
        }
    }
}
