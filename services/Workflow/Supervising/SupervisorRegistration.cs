using DroneDelivery.Workflow.Holding;

namespace DroneDelivery.Workflow.Supervising;

internal static class SupervisorRegistration
{
    /// <summary>Before the listener, whose holding pauses this too.</summary>
    public static void AddDeadLetterSupervisor(this IServiceCollection services)
    {
        services.AddSingleton<EndRequest>();
        services.AddSingleton<FailedQueue>();
        services.AddHealthChecks().AddCheck<FailedQueueTakesCopies>("failed-queue");
        services.AddSingleton<DeadLetterMetrics>();
        services.AddSingleton<DeadLetterSupervisor>();
        services.AddSingleton<IHeld>(provider => provider.GetRequiredService<DeadLetterSupervisor>());
        services.AddHostedService(provider => provider.GetRequiredService<DeadLetterSupervisor>());
    }
}
