using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using Microsoft.Extensions.Http;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>
/// Decides the outcome of each call between services: it never arrives, its response is lost, or it is rejected. To the
/// caller, the first two look like a crash, after which its message is redelivered.
/// </summary>
internal sealed class BreakCalls(Func<string, string, CallEnd> decide) : IHttpMessageHandlerBuilderFilter
{
    public Action<HttpMessageHandlerBuilder> Configure(Action<HttpMessageHandlerBuilder> next) =>
        builder =>
        {
            next(builder);
            builder.AdditionalHandlers.Add(new Handler(decide)); // The innermost handler, which decides each attempt.
        };

    private sealed class Handler(Func<string, string, CallEnd> decide) : DelegatingHandler
    {
        protected override async Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request,
            CancellationToken cancellationToken
        )
        {
            var end = decide(request.Method.Method, request.RequestUri!.AbsolutePath);
            if (end == CallEnd.Rejected)
                return Rejection(request);
            if (end == CallEnd.NeverArrives)
                throw new HttpRequestException("The call never arrived.");
            var response = await base.SendAsync(request, cancellationToken);
            if (end != CallEnd.AnswerIsLost)
                return response;
            response.Dispose();
            throw new HttpRequestException("The answer was lost.");
        }

        private static HttpResponseMessage Rejection(HttpRequestMessage request) =>
            new(HttpStatusCode.UnprocessableEntity)
            {
                RequestMessage = request,
                Content = new StringContent(
                    """{ "type": "urn:drone-delivery:test", "detail": "Requested by the test." }""",
                    null,
                    "application/problem+json"
                ),
            };
    }
}

internal enum CallEnd
{
    Answered,
    NeverArrives,
    AnswerIsLost,
    Rejected,
}

/// <summary>
/// Breaks one call of each delivery request: the call whose number is at the end of the delivery's id.
/// </summary>
internal sealed class FaultPoints
{
    private readonly ConcurrentDictionary<string, int> _calls = new();

    /// <summary>
    /// Returns an id for a request whose call number <paramref name="call"/>, counted from 0, breaks.
    /// </summary>
    public static string IdOf(string kind, int call, CallEnd end) => $"{kind}-{end}-{call}";

    public CallEnd Decide(string method, string path)
    {
        var id = path.Split('/')[3].Replace("package-", "", StringComparison.Ordinal);
        if (id.Split('-') is not [var kind, var end, var number])
            return CallEnd.Answered;
        if (_calls.AddOrUpdate(id, 0, (_, calls) => calls + 1).ToString(CultureInfo.InvariantCulture) == number)
            return Enum.Parse<CallEnd>(end);
        var isRecord = method == "PUT" && path == $"/api/deliveries/{id}";
        return kind == "refusedatdelivery" && isRecord ? CallEnd.Rejected : CallEnd.Answered;
    }
}
