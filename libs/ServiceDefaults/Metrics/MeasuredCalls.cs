using System.Net;
using DroneDelivery.ServiceDefaults.Resilience;
using Polly.CircuitBreaker;
using Polly.Timeout;

namespace DroneDelivery.ServiceDefaults.Metrics;

/// <summary>Measures each call from outside of its pipeline: as long as its caller waits, and ended as its caller sees it.</summary>
internal sealed class MeasuredCalls(string service, CallMetrics metrics, TimeProvider time, HttpMessageHandler inner)
    : DelegatingHandler(inner)
{
    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        var began = time.GetTimestamp();
        var outcome = "cancelled";
        try
        {
            var response = await base.SendAsync(request, cancellationToken);
            outcome = OutcomeOf(response.StatusCode);
            return response;
        }
        catch (HttpRequestException failure)
        {
            outcome = OutcomeOf(failure);
            throw;
        }
        finally
        {
            metrics.Ended(service, outcome, time.GetElapsedTime(began));
        }
    }

    private static string OutcomeOf(HttpStatusCode status) => status switch
    {
        < HttpStatusCode.BadRequest => "success",
        >= HttpStatusCode.InternalServerError or HttpStatusCode.RequestTimeout or HttpStatusCode.TooManyRequests => "failed",
        _ => "refused",
    };

    private static string OutcomeOf(HttpRequestException failure) => failure.InnerException switch
    {
        TimeoutRejectedException => "timeout",
        BrokenCircuitException => "circuit_open",
        NoPlaceException => "no_place",
        _ => "unreachable",
    };
}
