using System.Collections.Concurrent;
using Azure.Data.Tables;
using DroneDelivery.Articles.TrackingPixel;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Testing;

[assembly: AssemblyFixture(typeof(DroneDelivery.Articles.Tests.Support.AzuriteFixture.OfAllTests))]

namespace DroneDelivery.Articles.Tests.Support;

/// <summary>
/// An Azurite for one test at once, installed and started as by the lab: on an available port, in memory. A running one
/// is emptied for the next test, because a start of Node.js takes seconds.
/// </summary>
public sealed class AzuriteFixture : IAsyncDisposable
{
    private static readonly ConcurrentBag<AzuriteFixture> Idle = [];

    private readonly ReservedPort _port = new();
    private Azurite? _server;

    private AzuriteFixture() { }

    public static bool IsInstalled => Executable.OnPath("node") is not null && Executable.OnPath("npm") is not null;

    public static string HowToInstall => "node or npm is not on PATH: apt-get install npm, or brew install node.";

    public int Port => _port.Number;

    public string ConnectionString => Azurite.ConnectionString(Port);

    public static async Task<AzuriteFixture> StartAsync()
    {
        if (Idle.TryTake(out var idle))
            return idle;
        var azurite = new AzuriteFixture();
        await azurite.StartServerAsync();
        return azurite;
    }

    /// <summary>Starts an empty server on the same port after <see cref="StopAsync"/>.</summary>
    public async Task StartServerAsync()
    {
        await AzuriteInstallation.Here.EnsureAsync(_ => { }, Cancelled);
        _server = await Azurite.StartAsync(Path.GetTempPath(), Port, Cancelled);
    }

    public async Task StopAsync()
    {
        if (_server is null)
            return;
        await _server.DisposeAsync();
        _server = null;
    }

    public async ValueTask DisposeAsync()
    {
        if (_server is null)
        {
            _port.Dispose();
            return;
        }

        var tables = new TableServiceClient(ConnectionString);
        await foreach (var table in tables.QueryAsync())
            await tables.DeleteTableAsync(table.Name);
        Idle.Add(this);
    }

    public sealed class OfAllTests : IAsyncDisposable
    {
        public async ValueTask DisposeAsync()
        {
            while (Idle.TryTake(out var idle))
            {
                await idle.StopAsync();
                await idle.DisposeAsync();
            }
        }
    }
}
