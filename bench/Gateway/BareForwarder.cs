using System.CommandLine;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Bench.Gateway;

/// <summary>What the gateway is measured against: the least that sends a request on with HttpClient's transport.</summary>
internal static class BareForwarder
{
    public static Command Command()
    {
        var (port, backend) = (new Option<int>("--port") { Required = true }, new Option<int>("--backend") { Required = true });
        var command = new Command("bare-forwarder", "The loop that the gateway is measured against.") { port, backend };
        command.SetAction((parsed, ct) => Serve(parsed.GetValue(port), Forward(parsed.GetValue(backend)), ct));
        return command;
    }

    /// <summary>The service behind both: it reads a body and answers 202.</summary>
    public static Command BackendCommand()
    {
        var port = new Option<int>("--port") { Required = true };
        var command = new Command("bare-backend", "The service behind the gateways that are measured.") { port };
        command.SetAction((parsed, ct) => Serve(parsed.GetValue(port), Answer, ct));
        return command;
    }

    private static async Task<int> Serve(int port, RequestDelegate handle, CancellationToken cancellationToken)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls($"http://127.0.0.1:{port}");
        var app = builder.Build();
        app.Run(handle);
        await app.StartAsync(cancellationToken);
        await app.WaitForShutdownAsync(cancellationToken);
        return 0;
    }

    private static async Task Answer(HttpContext context)
    {
        if (context.Request.Path == "/openapi/v1.json")
        {
            await context.Response.WriteAsync(CompareGateway.Document);
            return;
        }
        await context.Request.Body.CopyToAsync(Stream.Null, context.RequestAborted);
        context.Response.StatusCode = StatusCodes.Status202Accepted;
        context.Response.ContentLength = 0;
    }

    private static RequestDelegate Forward(int backend)
    {
        var http = new HttpMessageInvoker(new SocketsHttpHandler { UseProxy = false, UseCookies = false, AllowAutoRedirect = false });
        return async context =>
        {
            using var request = new HttpRequestMessage(
                new HttpMethod(context.Request.Method), $"http://127.0.0.1:{backend}{context.Request.Path}{context.Request.QueryString}")
            {
                Content = new StreamContent(context.Request.Body),
            };
            foreach (var (name, value) in context.Request.Headers)
            {
                if (name != "Host" && !request.Headers.TryAddWithoutValidation(name, (IEnumerable<string?>)value))
                    request.Content.Headers.TryAddWithoutValidation(name, (IEnumerable<string?>)value);
            }
            using var answer = await http.SendAsync(request, context.RequestAborted);
            context.Response.StatusCode = (int)answer.StatusCode;
            foreach (var (name, values) in answer.Headers.NonValidated.Concat(answer.Content.Headers.NonValidated))
                context.Response.Headers[name] = values.ToArray();
            await answer.Content.CopyToAsync(context.Response.Body, context.RequestAborted);
        };
    }
}
