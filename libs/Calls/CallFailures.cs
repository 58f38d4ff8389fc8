using Polly;

namespace DroneDelivery.Calls;

/// <summary>Reports a call that the pipeline gave up as an exception of the same type as a failed one.</summary>
internal sealed class CallFailures(string service) : DelegatingHandler
{
    private static readonly HttpRequestOptionsKey<CancellationToken> Caller = new("DroneDelivery.Caller");

    /// <summary>Whether the caller cancelled the call, as opposed to its total timeout.</summary>
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
            // The strategies are named after their options.
            var option = rejection.TelemetrySource?.StrategyName;
            throw new HttpRequestException($"{service}: {rejection.Message} ({option})", rejection);
        }
    }
}
