using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using Microsoft.Extensions.Http;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>
/// Decides over each call of a service to another: the call may never arrive, its answer may be lost, or the other refuses it. For the
/// caller the first two are what a crash at that point is: its message comes again.
/// </summary>
internal sealed class BreakCalls(Func<string, string, CallEnd> decide) : IHttpMessageHandlerBuilderFilter
{
    public Action<HttpMessageHandlerBuilder> Configure(Action<HttpMessageHandlerBuilder> next) =>
        builder =>
        {
            next(builder);
            builder.AdditionalHandlers.Add(new Handler(decide)); // the innermost: it decides over each attempt
        };

    private sealed class Handler(Func<string, string, CallEnd> decide) : DelegatingHandler
    {
        protected override async Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request,
            CancellationToken cancellationToken
        )
        {
            var end = decide(request.Method.Method, request.RequestUri!.AbsolutePath);
            if (end == CallEnd.Refused)
                return Refusal(request);
            if (end == CallEnd.NeverArrives)
                throw new HttpRequestException("The call never arrived.");
            var response = await base.SendAsync(request, cancellationToken);
            if (end != CallEnd.AnswerIsLost)
                return response;
            response.Dispose();
            throw new HttpRequestException("The answer was lost.");
        }

        private static HttpResponseMessage Refusal(HttpRequestMessage request) =>
            new(HttpStatusCode.UnprocessableEntity)
            {
                RequestMessage = request,
                Content = new StringContent(
                    """{ "type": "urn:drone-delivery:test", "detail": "As the test wants it." }""",
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
    Refused,
}

/// <summary>Breaks one call of each delivery's request: the one whose number the delivery's id ends with.</summary>
internal sealed class FaultPoints
{
    private readonly ConcurrentDictionary<string, int> _calls = new();

    /// <summary>An id for a request whose call number <paramref name="call"/> breaks, counted from 0.</summary>
    public static string IdOf(string kind, int call, CallEnd end) => $"{kind}-{end}-{call}";

    public CallEnd Decide(string method, string path)
    {
        var id = path.Split('/')[3].Replace("package-", "", StringComparison.Ordinal);
        if (id.Split('-') is not [var kind, var end, var number])
            return CallEnd.Answered;
        if (_calls.AddOrUpdate(id, 0, (_, calls) => calls + 1).ToString(CultureInfo.InvariantCulture) == number)
            return Enum.Parse<CallEnd>(end);
        var isRecord = method == "PUT" && path == $"/api/deliveries/{id}";
        return kind == "refusedatdelivery" && isRecord ? CallEnd.Refused : CallEnd.Answered;
    }
}
