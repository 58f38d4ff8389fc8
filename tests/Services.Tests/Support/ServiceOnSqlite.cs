using DroneDelivery.DroneScheduler;
using DroneDelivery.Package;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Support;

internal sealed class ServiceOnSqlite<TService> : IDisposable
    where TService : class
{
    public ServiceOnSqlite(bool hasRealTime = false, string writeTimeout = "00:01:00") =>
        Host = ServiceHost<TService>.Start(
            Settings.And("Database:WriteTimeout", writeTimeout),
            time: hasRealTime ? TimeProvider.System : Time
        );

    public TemporaryFolder Folder { get; } = new();

    public Dictionary<string, string?> Settings => Folder.SqliteSettings;

    public ManualTimeProvider Time { get; } = new(new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero));

    public ServiceHost<TService> Host { get; }

    public HttpClient Http => Host.Http;

    public void Dispose()
    {
        Host.Dispose();
        Folder.Dispose();
    }
}

public abstract class WithPackages : IDisposable
{
    private protected WithPackages(bool hasRealTime = false, string writeTimeout = "00:01:00") =>
        Service = new(hasRealTime, writeTimeout);

    private protected ServiceOnSqlite<PackageStore> Service { get; }

    private protected HttpClient Http => Service.Http;

    public void Dispose()
    {
        Service.Dispose();
        GC.SuppressFinalize(this);
    }
}

public abstract class WithDrones : IDisposable
{
    private protected ServiceOnSqlite<AssignmentStore> Service { get; } = new();

    private protected HttpClient Http => Service.Http;

    public void Dispose()
    {
        Service.Dispose();
        GC.SuppressFinalize(this);
    }
}
