namespace DroneDelivery.Workflow.Holding;

internal static class HoldingRegistration
{
    /// <summary>After the listener, so that it is stopped before.</summary>
    public static void AddHolding(this IServiceCollection services)
    {
        services.AddSingleton<BackendOutage>();
        services.AddSingleton<HoldingMetrics>();
        services.AddHostedService<HoldReceiving>();
        services.AddHealthChecks().AddCheck<BackendsAnswer>("backends");
    }
}
