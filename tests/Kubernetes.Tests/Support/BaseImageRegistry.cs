using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>
/// A registry with one image, from which the SDK pulls the base of the images that it builds (OCI distribution API).
/// </summary>
internal sealed class BaseImageRegistry : IAsyncDisposable
{
    private const string Name = "aspnet",
        Tag = "this-machine";

    private readonly WebApplication _app;

    private BaseImageRegistry(WebApplication app) => _app = app;

    public string Image => $"localhost:{new Uri(_app.Urls.Single()).Port}/{Name}:{Tag}";

    public static async Task<BaseImageRegistry> StartAsync(BaseImage image)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        var app = builder.Build();
        string[] methods = ["GET", "HEAD"];
        app.MapMethods("/v2/", methods, () => Results.Ok());
        app.MapMethods($"/v2/{Name}/manifests/{{reference}}", methods, (string reference, HttpResponse response) =>
        {
            response.Headers["Docker-Content-Digest"] = BaseImage.DigestOf(image.Manifest);
            return reference == Tag || image.Blobs.ContainsKey(reference)
                ? Results.Bytes(image.Manifest, BaseImage.ManifestType)
                : Results.NotFound();
        });
        app.MapMethods($"/v2/{Name}/blobs/{{digest}}", methods, (string digest) =>
            image.Blobs.TryGetValue(digest, out var blob)
                ? Results.Bytes(blob.Content, blob.MediaType)
                : Results.NotFound()
        );
        await app.StartAsync(TestContext.Current.CancellationToken);
        return new(app);
    }

    public ValueTask DisposeAsync() => _app.DisposeAsync();
}
