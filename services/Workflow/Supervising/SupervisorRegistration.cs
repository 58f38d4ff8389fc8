namespace DroneDelivery.Workflow.Supervising;

internal static class SupervisorRegistration
{
    public static void AddDeadLetterSupervisor(this IServiceCollection services)
    {
        services.AddSingleton<EndRequest>();
        services.AddSingleton<FailedQueue>();
        services.AddHostedService<DeadLetterSupervisor>();
    }
}
