namespace DroneDelivery.Services.Tests.ServiceDefaults;

internal sealed class TemporaryFolder : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("drone-delivery-");

    public Dictionary<string, string?> SqliteSettings => new() { ["Database:ConnectionString"] = $"Data Source={Path.Combine(_folder.FullName, "test.db")}" };

    public void Dispose() => _folder.Delete(recursive: true);
}
