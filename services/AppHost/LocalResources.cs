namespace DroneDelivery.AppHost;

/// <summary>Local replacements for Azure resources, and the settings that connect services to them.</summary>
internal static class LocalResources
{
    /// <summary>The emulator's well-known key, which protects nothing.</summary>
    private const string EmulatorKey =
        "SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true";

    private const string Tcp = "tcp";

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
