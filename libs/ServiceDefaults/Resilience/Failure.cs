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
}
