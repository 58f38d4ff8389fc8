using System.Text.Json;
using DroneDelivery.Gateway.Routes;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Gateway.Schemas;

/// <summary>
/// The schemas that routes need, from the document that Ingestion writes about itself. Asked for at the start, once a second until it is
/// there, and then again now and then, because Ingestion may be updated. A document that cannot be used leaves the last one in force.
/// </summary>
internal sealed class IngestionDocument(
    [FromKeyedServices("ingestion")] HttpMessageInvoker backend,
    IOptions<GatewayOptions> options,
    TimeProvider time,
    ILogger<IngestionDocument> logger) : BackgroundService
{
    public const string Missing = "Ingestion has not said yet what a valid body is.";

    private static readonly Uri Address = new("http://ingestion/openapi/v1.json");
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10), RetryAfter = TimeSpan.FromSeconds(1);

    private readonly string[] _needed =
        [.. options.Value.Routes.Select(route => route.ValidateContent?.Schema).OfType<string>().Distinct(StringComparer.Ordinal)];

    private readonly Outage _outage = new("Ingestion's document", logger);
    private volatile Dictionary<string, Schema>? _schemas;

    /// <exception cref="DependencyUnavailableException">The document has not come yet.</exception>
    public Schema Find(string name) => _schemas is { } schemas ? schemas[name] : throw NotYet();

    /// <inheritdoc cref="Find"/>
    public Task RequireLoadedAsync() =>
        _needed.Length == 0 || _schemas is not null ? Task.CompletedTask : Task.FromException(NotYet());

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        while (_needed.Length > 0 && !stoppingToken.IsCancellationRequested)
        {
            var isLoaded = await TryLoadAsync(stoppingToken);
            await Task.Delay(isLoaded ? options.Value.SchemaRefresh : RetryAfter, time, stoppingToken);
        }
    }

    private static DependencyUnavailableException NotYet() =>
        new("urn:drone-delivery:schema-unavailable", "Bodies cannot be checked yet", Missing, RetryAfter);

    private async Task<bool> TryLoadAsync(CancellationToken stopping)
    {
        using var timeout = new CancellationTokenSource(Patience, time);
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, stopping);
        try
        {
            _schemas = await LoadAsync(patience.Token);
            _outage.Succeeded();
            return true;
        }
        catch (Exception exception) when (!stopping.IsCancellationRequested)
        {
            _outage.Failed($"{exception.GetType().Name}: {exception.Message}");
            return false;
        }
    }

    private async Task<Dictionary<string, Schema>> LoadAsync(CancellationToken cancellationToken)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, Address);
        using var answer = await backend.SendAsync(request, cancellationToken);
        answer.EnsureSuccessStatusCode();
        await using var body = await answer.Content.ReadAsStreamAsync(cancellationToken);
        using var document = await JsonDocument.ParseAsync(body, cancellationToken: cancellationToken);
        var compile = new CompileSchema(document.RootElement);
        return _needed.ToDictionary(name => name, compile.Named);
    }
}
