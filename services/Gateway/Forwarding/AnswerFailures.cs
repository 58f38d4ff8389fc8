using System.Collections.Concurrent;
using DroneDelivery.ServiceDefaults.Errors;
using Yarp.ReverseProxy.Forwarder;

namespace DroneDelivery.Gateway.Forwarding;

/// <summary>
/// What a client is told when its request could not be forwarded. Nothing is sent twice: only where no connection was made, and so nothing
/// was sent, the request goes to another replica.
/// </summary>
internal sealed class AnswerFailures(RequestDelegate next, ILogger<AnswerFailures> logger)
{
    private const string RetryAfterSeconds = "1";

    private readonly ConcurrentDictionary<string, Outage> _outages = new();

    public async Task InvokeAsync(HttpContext context)
    {
        await next(context);
        var cluster = context.GetReverseProxyFeature().Cluster.Config.ClusterId;
        var outage = _outages.GetOrAdd(cluster, static (id, logger) => new(id, logger), logger);
        await TryOthersAsync(context);
        if (context.GetForwarderErrorFeature() is not { } failure)
            outage.Succeeded();
        else if (!context.Response.HasStarted && !context.RequestAborted.IsCancellationRequested)
            await AnswerAsync(context, failure, outage);
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

    private static Task AnswerAsync(HttpContext context, IForwarderErrorFeature failure, Outage outage)
    {
        var status = IsUnreachable(failure) ? StatusCodes.Status503ServiceUnavailable : context.Response.StatusCode;
        context.Response.Clear(); // of the answer's headers
        if (status >= StatusCodes.Status500InternalServerError)
            outage.Failed($"{failure.Error}: {failure.Exception?.Message}");
        if (status == StatusCodes.Status503ServiceUnavailable)
            context.Response.Headers.RetryAfter = RetryAfterSeconds;
        return TypedResults.Problem(DetailOf(status, failure), statusCode: status).ExecuteAsync(context);
    }

    private static string? DetailOf(int status, IForwarderErrorFeature failure) =>
        status switch
        {
            StatusCodes.Status502BadGateway => "The service has given no whole answer.",
            StatusCodes.Status503ServiceUnavailable => "The service does not answer. Nothing of the request was done.",
            StatusCodes.Status504GatewayTimeout => "The service has not answered in time.",
            _ => (failure.Exception as AggregateException)
                ?.InnerExceptions.OfType<BadHttpRequestException>()
                .FirstOrDefault()
                ?.Message,
        };
}
