using Polly;

namespace DroneDelivery.Calls;

/// <summary>Converts rejections by the pipeline to <see cref="HttpRequestException"/>.</summary>
internal sealed class CallFailures(string service) : DelegatingHandler
{
    private static readonly HttpRequestOptionsKey<CancellationToken> Caller = new("DroneDelivery.Caller");

    /// <summary>Determines whether the caller, rather than the total timeout, cancelled the call.</summary>
    public static bool IsCancelled(HttpRequestMessage? request) =>
        request is not null && request.Options.TryGetValue(Caller, out var caller) && caller.IsCancellationRequested;

    protected override async Task<HttpResponseMessage> SendAsync(
        HttpRequestMessage request,
        CancellationToken cancellationToken
    )
    {
        request.Options.Set(Caller, cancellationToken);
        try
        {
            return await base.SendAsync(request, cancellationToken);
        }
        catch (ExecutionRejectedException rejection)
        {
            // Strategies are named after their options.
            var option = rejection.TelemetrySource?.StrategyName;
            throw new HttpRequestException($"{service}: {rejection.Message} ({option})", rejection);
        }
    }
}
