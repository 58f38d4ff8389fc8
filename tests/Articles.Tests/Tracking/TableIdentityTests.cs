using System.Collections.Concurrent;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Articles.Tests.Tracking;

/// <summary>
/// Tracking as a process, with the two things that a managed identity has in Azure: a token endpoint and HTTPS.
/// </summary>
public sealed class TableIdentityTests
{
    private readonly ConcurrentQueue<string> _authorizations = [];

    [Fact]
    public async Task Storage_account_is_accessed_with_the_token_of_the_identity()
    {
        using var folder = new OwnFolder();
        using var certificate = Certificates.SelfSigned();
        var trusted = Path.Combine(folder.Path, "trusted.pem");
        await File.WriteAllTextAsync(trusted, certificate.ExportCertificatePem(), Cancelled);
        await using var tables = await StartAsync(certificate, "/{**path}", context =>
        {
            _authorizations.Enqueue(context.Request.Headers.Authorization.ToString());
            return context.Response.WriteAsJsonAsync(new { value = Array.Empty<string>() });
        });
        await using var identity = await StartAsync(null, "/token", context => context.Response.WriteAsJsonAsync(
                new
                {
                    access_token = $"for-{context.Request.Query["resource"]}",
                    expires_on = $"{TimeProvider.System.GetUtcNow().AddHours(1).ToUnixTimeSeconds()}",
                    token_type = "Bearer",
                    resource = "",
                }
            ));

        await using var tracking = ServiceProcess.Start(
            "Tracking",
            new() { ["Tracking:Endpoint"] = tables.Urls.Single(), ["Tracking:Tables:0"] = "mails" },
            environment: new()
            {
                ["IDENTITY_ENDPOINT"] = $"{identity.Urls.Single()}/token",
                ["IDENTITY_HEADER"] = "any",
                ["AZURE_TOKEN_CREDENTIALS"] = "ManagedIdentityCredential",
                ["SSL_CERT_FILE"] = trusted,
            }
        );
        await tracking.ReadyAsync();

        Assert.All(_authorizations, value => Assert.Equal("Bearer for-https://storage.azure.com", value));
        Assert.NotEmpty(_authorizations);
    }

    private static async Task<WebApplication> StartAsync(
        X509Certificate2? certificate,
        string path,
        RequestDelegate answer
    )
    {
        var server = LocalServer.Build(certificate: certificate);
        server.Map(path, answer);
        await server.StartAsync(Cancelled);
        return server;
    }
}
