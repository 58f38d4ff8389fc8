using System.Net;
using Polly;
using Polly.Timeout;

namespace DroneDelivery.ServiceDefaults.Resilience;

/// <summary>What is worth another attempt: no answer, 408, 429 and 5xx. Other answers are the callers' business.</summary>
internal static class Failure
{
    public static bool Is(Outcome<HttpResponseMessage> outcome) =>
        outcome.Exception is HttpRequestException or TimeoutRejectedException
        || outcome.Result?.StatusCode
            is >= HttpStatusCode.InternalServerError or HttpStatusCode.RequestTimeout or HttpStatusCode.TooManyRequests;

    /// <summary>No answer, or one that says that the service cannot serve: unlike 500, no fault of the request.</summary>
    public static bool IsUnavailable(Outcome<HttpResponseMessage> outcome) =>
        outcome.Exception is HttpRequestException or TimeoutRejectedException
        || outcome.Result?.StatusCode
            is HttpStatusCode.BadGateway or HttpStatusCode.ServiceUnavailable or HttpStatusCode.GatewayTimeout;
}
