namespace DroneDelivery.Testing;

public sealed class OwnFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("test-").FullName;

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
