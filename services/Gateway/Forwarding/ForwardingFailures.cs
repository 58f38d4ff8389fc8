using System.Collections.Concurrent;
using DroneDelivery.ServiceDefaults.Errors;
using Yarp.ReverseProxy.Forwarder;

namespace DroneDelivery.Gateway.Forwarding;

/// <summary>
/// Responds to requests that couldn't be forwarded. A request goes to another replica only if no connection was made, so that nothing is
/// sent twice.
/// </summary>
internal sealed class ForwardingFailures(RequestDelegate next, ILogger<ForwardingFailures> logger)
{
    private const string RetryAfterSeconds = "1";

    private readonly ConcurrentDictionary<string, OutageLog> _outages = new();

    public async Task InvokeAsync(HttpContext context)
    {
        await next(context);
        var cluster = context.GetReverseProxyFeature().Cluster.Config.ClusterId;
        var outage = _outages.GetOrAdd(cluster, static (id, logger) => new(id, logger), logger);
        await TryOthersAsync(context);
        if (context.GetForwarderErrorFeature() is not { } failure)
            outage.Succeeded();
        else if (!context.Response.HasStarted && !context.RequestAborted.IsCancellationRequested)
            await RespondAsync(context, failure, outage);
    }

    private async Task TryOthersAsync(HttpContext context)
    {
        var proxy = context.GetReverseProxyFeature();
        var left = proxy.AllDestinations;
        while (context.GetForwarderErrorFeature() is { } failure && IsUnreachable(failure))
        {
            left = [.. left.Where(replica => replica != proxy.ProxiedDestination)];
            if (left.Count == 0)
                return;
            proxy.AvailableDestinations = left;
            context.Features.Set<IForwarderErrorFeature>(null);
            context.Response.StatusCode = StatusCodes.Status200OK;
            await next(context);
        }
    }

    private static bool IsUnreachable(IForwarderErrorFeature failure) =>
        failure.Exception
            is HttpRequestException
                {
                    HttpRequestError: HttpRequestError.ConnectionError or HttpRequestError.NameResolutionError
                }
                or OperationCanceledException { InnerException: TimeoutException };

    private static Task RespondAsync(HttpContext context, IForwarderErrorFeature failure, OutageLog outage)
    {
        var status = IsUnreachable(failure) ? StatusCodes.Status503ServiceUnavailable : context.Response.StatusCode;
        context.Response.Clear(); // the headers of the failed response
        if (status >= StatusCodes.Status500InternalServerError)
            outage.Failed($"{failure.Error}: {failure.Exception?.Message}");
        if (status == StatusCodes.Status503ServiceUnavailable)
            context.Response.Headers.RetryAfter = RetryAfterSeconds;
        return TypedResults.Problem(DetailOf(status, failure), statusCode: status).ExecuteAsync(context);
    }

    private static string? DetailOf(int status, IForwarderErrorFeature failure) =>
        status switch
        {
            StatusCodes.Status502BadGateway => "The service returned an incomplete response.",
            StatusCodes.Status503ServiceUnavailable => "The service is unavailable. The request was not processed.",
            StatusCodes.Status504GatewayTimeout => "The service did not respond in time.",
            _ => (failure.Exception as AggregateException)
                ?.InnerExceptions.OfType<BadHttpRequestException>()
                .FirstOrDefault()
                ?.Message,
        };
}
