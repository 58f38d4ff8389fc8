using System.Collections.Concurrent;
using System.Text.Json;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Package;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>
/// Random requests with errors in their method, path, query, headers and body. A service responds to each, never with a
/// server error, and as its OpenAPI document describes.
/// </summary>
public abstract class HostileRequestTests(int requests, int seed)
{
    private const int Concurrency = 8;

    [Fact]
    public async Task Package_responds_to_every_request()
    {
        using var service = new ServiceOnSqlite<PackageStore>();
        await SendAsync(service.Http, service.Host.Address);
    }

    [Fact]
    public async Task DroneScheduler_responds_to_every_request()
    {
        using var service = new ServiceOnSqlite<AssignmentStore>();
        await SendAsync(service.Http, service.Host.Address);
    }

    [Fact]
    public async Task Delivery_responds_to_every_request()
    {
        await using var service = await DeliveryUnderTest.StartAsync();
        await SendAsync(service.Http, service.Http.BaseAddress!);
    }

    [Fact]
    public async Task Ingestion_responds_to_every_request()
    {
        await using var service = await IngestionUnderTest.StartAsync();
        await SendAsync(service.Http, service.Http.BaseAddress!);
    }

    private async Task SendAsync(HttpClient client, Uri address)
    {
        var description = new ApiDescription(
            await client.GetStringAsync(new Uri("/openapi/v1.json", UriKind.Relative), Cancelled)
        );
        using var http = new HttpClient(new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false })
        {
            Timeout = TimeSpan.FromMinutes(2),
        };
        var faults = new ConcurrentBag<string>();
        var options = new ParallelOptions { MaxDegreeOfParallelism = Concurrency, CancellationToken = Cancelled };

        await Parallel.ForAsync(0, requests, options, async (number, cancellationToken) =>
        {
            var random = new Random(unchecked(seed + number));
            var operation = description.Operations[random.Next(description.Operations.Count)];
            var request = new HostileRequest(operation, random);
            using var message = request.Message(address);
            using var response = await http.SendAsync(message, cancellationToken);
            var body = await response.Content.ReadAsStringAsync(cancellationToken);
            if (FindFault(description, request, response, body) is { } fault)
                faults.Add($"{fault} (seed {seed}, request {number})\n{request}\n\n{(int)response.StatusCode} {body}");
        });

        Assert.True(faults.IsEmpty, $"{faults.Count} faults:\n{string.Join("\n----\n", faults.Take(10))}");
    }

    private static string? FindFault(
        ApiDescription description,
        HostileRequest request,
        HttpResponseMessage response,
        string body
    )
    {
        var status = (int)response.StatusCode;
        if (status >= 500)
            return "The server failed";
        if (IsRejectedByKestrel(response, body) || request.Method == "HEAD")
            return null;
        var mediaType = response.Content.Headers.ContentType?.MediaType;
        if (status >= 400 && (mediaType != "application/problem+json" || !IsProblem(body, status)))
            return $"No problem details, but {mediaType}";
        return request.ReachesOperation
            ? description.FindContradiction(request.Operation, status, mediaType, body)
            : null;
    }

    /// <summary>
    /// Kestrel rejects malformed HTTP before the application sees it, without a body, and disconnects.
    /// </summary>
    private static bool IsRejectedByKestrel(HttpResponseMessage response, string body) =>
        response.Headers.ConnectionClose == true && body.Length == 0;

    private static bool IsProblem(string body, int status)
    {
        using var problem = JsonDocument.Parse(body);
        return problem.RootElement.GetProperty("status").GetInt32() == status
            && problem.RootElement.GetProperty("title").GetString() is { Length: > 0 }
            && !body.Contains("   at ", StringComparison.Ordinal);
    }
}

/// <summary>The same requests in every run.</summary>
public sealed class FixedHostileRequestTests() : HostileRequestTests(requests: 500, seed: 1);

/// <summary>Different requests in every run. A failure reports its seed.</summary>
[Trait("tier", "nightly")]
public sealed class RandomHostileRequestTests() : HostileRequestTests(requests: 7_000, Guid.NewGuid().GetHashCode());
