using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Http;
using Microsoft.Extensions.Options;

namespace DroneDelivery.LabAgent.Emulation;

/// <summary>
/// From when on a sample of the latency runs, by the machine's monotonic clock, which all of its processes share. The published
/// latencies are those that callers saw, so where both are on one machine the way to the service and the way back count.
/// </summary>
internal static class SentAt
{
    public const string Header = "Emulation-Sent-At",
        AnsweredHeader = "Emulation-Answered-At";

    /// <summary>The time by <paramref name="time"/>, or now where the call does not say it or says nonsense.</summary>
    public static long Of(HttpRequest request, TimeProvider time)
    {
        var now = time.GetTimestamp();
        return Read(request.Headers[Header]) is { } sent && sent <= now ? sent : now;
    }

    /// <summary>Says to a caller that knows what to do with it when the answer left.</summary>
    public static void SayAnswered(HttpContext context, TimeProvider time)
    {
        if (context.Request.Headers.ContainsKey(Header))
            context.Response.Headers[AnsweredHeader] = Text(time.GetTimestamp());
    }

    private static long? Read(string? text) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var timestamp) ? timestamp : null;

    private static string Text(long timestamp) => timestamp.ToString(CultureInfo.InvariantCulture);

    /// <summary>For a service whose calls say it.</summary>
    public sealed class Filter(IOptions<EmulationOptions> options, TimeProvider time) : IHttpMessageHandlerBuilderFilter
    {
        public Action<HttpMessageHandlerBuilder> Configure(Action<HttpMessageHandlerBuilder> next) =>
            builder =>
            {
                next(builder);
                if (options.Value.TellsWhenSent)
                    builder.AdditionalHandlers.Add(new Handler(time)); // the innermost: it sees each attempt
            };
    }

    /// <summary>Says it of each attempt: earlier than it was sent by what answers take on their way back on average.</summary>
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
