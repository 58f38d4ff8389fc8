namespace DroneDelivery.AppHost;

/// <summary>What stands in for Azure on one machine, and how the services learn of it.</summary>
internal static class LocalResources
{
    /// <summary>The broker's well-known key. It protects nothing.</summary>
    private const string EmulatorKey =
        "SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true";

    private const string Tcp = "tcp";

    /// <summary>The program <c>redis-server</c> of this machine, in memory only.</summary>
    public static IResourceBuilder<ExecutableResource> AddRedisServer(
        this IDistributedApplicationBuilder builder,
        string name
    )
    {
        var redis = builder
            .AddExecutable(name, "redis-server", ".", "--save", "", "--bind", "127.0.0.1", "--port")
            .WithEndpoint(scheme: Tcp, name: Tcp);
        return redis.WithArgs(redis.GetEndpoint(Tcp).Property(EndpointProperty.TargetPort));
    }

    public static IResourceBuilder<ProjectResource> AddLocalServiceBus(
        this IDistributedApplicationBuilder builder,
        string name,
        params string[] queues
    )
    {
        var broker = builder.AddProject<Projects.ServiceBus>(name).WithEndpoint(scheme: Tcp, name: Tcp);
        return broker
            .WithArgs("--port", broker.GetEndpoint(Tcp).Property(EndpointProperty.TargetPort))
            .WithArgs([.. queues.Select(queue => $"--queue={queue}")]);
    }

    /// <summary>A service that counts as healthy once it answers that it is ready, dependencies included.</summary>
    public static IResourceBuilder<ProjectResource> AddService<TProject>(
        this IDistributedApplicationBuilder builder,
        string name
    )
        where TProject : IProjectMetadata, new() =>
        builder.AddProject<TProject>(name).WithHttpHealthCheck("/health/ready");

    public static IResourceBuilder<ProjectResource> WithRedis(
        this IResourceBuilder<ProjectResource> service,
        IResourceBuilder<ExecutableResource> redis
    ) =>
        service
            .WithEnvironment(
                "Redis__ConnectionString",
                $"{redis.GetEndpoint(Tcp).Property(EndpointProperty.HostAndPort)}"
            )
            .WaitFor(redis);

    public static IResourceBuilder<ProjectResource> WithQueue(
        this IResourceBuilder<ProjectResource> service,
        IResourceBuilder<ProjectResource> broker
    )
    {
        var address = broker.GetEndpoint(Tcp).Property(EndpointProperty.HostAndPort);
        return service
            .WithEnvironment("ServiceBus__ConnectionString", $"Endpoint=sb://{address};{EmulatorKey}")
            .WaitFor(broker);
    }
}
