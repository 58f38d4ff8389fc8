using System.Collections.Concurrent;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Services.Tests.Tracking;

/// <summary>Tracking as a process, with the two things that a managed identity has in Azure: where tokens are had, and HTTPS.</summary>
public sealed class TableIdentityTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly ConcurrentQueue<string> _authorizations = [];

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task A_storage_account_is_opened_with_the_token_of_the_identity()
    {
        using var certificate = Certificates.SelfSigned();
        var trusted = _folder.Write("trusted.pem", certificate.ExportCertificatePem());
        await using var tables = await StartAsync(certificate, "/{**path}", context =>
        {
            _authorizations.Enqueue(context.Request.Headers.Authorization.ToString());
            return context.Response.WriteAsJsonAsync(new { value = Array.Empty<string>() });
        });
        await using var identity = await StartAsync(null, "/token", context => context.Response.WriteAsJsonAsync(new
        {
            access_token = $"for-{context.Request.Query["resource"]}",
            expires_on = $"{TimeProvider.System.GetUtcNow().AddHours(1).ToUnixTimeSeconds()}",
            token_type = "Bearer",
            resource = "",
        }));

        await using var tracking = ServiceProcess.Start(
            "Tracking",
            new() { ["Tracking:Endpoint"] = tables.Urls.Single(), ["Tracking:Tables:0"] = "mails" },
            environment: new()
            {
                ["IDENTITY_ENDPOINT"] = $"{identity.Urls.Single()}/token",
                ["IDENTITY_HEADER"] = "any",
                ["AZURE_TOKEN_CREDENTIALS"] = "ManagedIdentityCredential",
                ["SSL_CERT_FILE"] = trusted,
            });
        await tracking.ReadyAsync();

        Assert.All(_authorizations, value => Assert.Equal("Bearer for-https://storage.azure.com", value));
        Assert.NotEmpty(_authorizations);
    }

    [Theory]
    [InlineData("http://hits.table.core.windows.net", "", "no token goes over plain http")]
    [InlineData("https://hits.table.core.windows.net", "UseDevelopmentStorage=true", "Tracking:ConnectionString is set too")]
    public async Task An_endpoint_that_cannot_be_meant_ends_the_start(string endpoint, string connectionString, string expected)
    {
        await using var process = ServiceProcess.Start(
            "Tracking", new() { ["Tracking:Endpoint"] = endpoint, ["Tracking:ConnectionString"] = connectionString });

        Assert.Equal(1, await process.ExitCodeAsync());
        Assert.Contains(expected, process.Errors, StringComparison.Ordinal);
    }

    private static async Task<WebApplication> StartAsync(X509Certificate2? certificate, string path, RequestDelegate answer)
    {
        var server = LocalServer.Build(certificate: certificate);
        server.Map(path, answer);
        await server.StartAsync(TestContext.Current.CancellationToken);
        return server;
    }
}
