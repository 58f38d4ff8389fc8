using Azure;
using Azure.Data.Tables;
using DroneDelivery.Lab;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Articles.TrackingPixel;

/// <summary>Microsoft's storage emulator on this machine, in memory.</summary>
internal sealed class Azurite : IAsyncDisposable
{
    /// <summary>The well-known account and key of Azurite, which aren't secrets.</summary>
    private const string Account = "devstoreaccount1",
        Key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(2),
        Pause = TimeSpan.FromMilliseconds(100);

    private readonly ChildProcess _process;
    private readonly int _port;

    private Azurite(ChildProcess process, int port) => (_process, _port) = (process, port);

    public static int PortOf(Ports ports) => 10002 + ports.Offset;

    public static string ConnectionString(int port) =>
        $"DefaultEndpointsProtocol=http;AccountName={Account};AccountKey={Key};TableEndpoint=http://127.0.0.1:{port}/{Account};";

    /// <exception cref="MissingProgramException">Node.js or npm is not installed.</exception>
    public static void RequirePrograms() => AzuriteInstallation.Here.RequirePrograms();

    public static async Task<Azurite> StartAsync(Scene scene, CancellationToken cancellationToken)
    {
        await AzuriteInstallation.Here.EnsureAsync(scene.Progress.Report, cancellationToken);
        return await StartAsync(scene.Folder, PortOf(scene.Ports), cancellationToken);
    }

    /// <param name="folder">The folder for the log.</param>
    public static async Task<Azurite> StartAsync(string folder, int port, CancellationToken cancellationToken)
    {
        var process = ChildProcess.Start(
            "azurite",
            Path.Combine(folder, "azurite.log"),
            folder,
            new Dictionary<string, string>(),
            AzuriteInstallation.Here.Command(port)
        );
        var azurite = new Azurite(process, port);
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        timeout.CancelAfter(Patience);
        try
        {
            while (!await Ports.AcceptsAsync(port, timeout.Token))
                await Task.Delay(process.Ended.IsCompleted ? Timeout.InfiniteTimeSpan : Pause, timeout.Token);
            return azurite;
        }
        catch (OperationCanceledException)
        {
            await azurite.DisposeAsync();
            cancellationToken.ThrowIfCancellationRequested();
            throw new LabException($"Azurite did not start. Its log: {process.Log}");
        }
    }

    /// <summary>Returns the number of hits in a table; 0 if it doesn't exist.</summary>
    public Task<int> CountAsync(string table, CancellationToken cancellationToken) =>
        CountAsync(_port, table, cancellationToken);

    public static async Task<int> CountAsync(int port, string table, CancellationToken cancellationToken) =>
        (await ReadAsync(port, table, ["PartitionKey"], cancellationToken)).Count;

    public static async Task<IReadOnlyList<TableEntity>> ReadAsync(
        int port,
        string table,
        IEnumerable<string> columns,
        CancellationToken cancellationToken
    )
    {
        try
        {
            return await new TableClient(ConnectionString(port), table)
                .QueryAsync<TableEntity>(select: columns, cancellationToken: cancellationToken)
                .ToListAsync(cancellationToken);
        }
        catch (RequestFailedException missing) when (missing.Status == 404)
        {
            return [];
        }
        catch (Exception exception) when (exception is RequestFailedException or AggregateException)
        {
            throw new HttpRequestException(exception.Message, exception);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _process.KillAsync(); // its data is in memory
        await _process.DisposeAsync();
    }
}
