using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Support;

internal sealed class ServiceOnSqlite<TService> : IDisposable where TService : class
{
    public ServiceOnSqlite(bool hasRealTime = false, string writeTimeout = "00:01:00") => Host = ServiceHost<TService>.Start(
        Settings.And("Database:WriteTimeout", writeTimeout), time: hasRealTime ? TimeProvider.System : Time);

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
