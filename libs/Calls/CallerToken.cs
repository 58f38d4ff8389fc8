using System.ComponentModel.DataAnnotations;
using System.Net.Http.Headers;
using Azure.Core;
using Azure.Identity;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Calls;

/// <summary>Section <c>CallerToken</c>: how a service says who it is to those that it calls, which check it with
/// <c>Authentication</c>.</summary>
public sealed class CallerTokenOptions
{
    public const string Section = "CallerToken";

    /// <summary>For what the process's identity gets tokens: <c>api://drone-delivery/.default</c>. Null: calls have none.</summary>
    [MinLength(1)]
    public string? Scope { get; set; }
}

/// <summary>With a scope, each attempt sends a token of the process. The credential keeps it until it is due for another.</summary>
internal sealed class CallerToken(IOptions<CallerTokenOptions> options, IServiceProvider provider) : DelegatingHandler
{
    protected override async Task<HttpResponseMessage> SendAsync(
        HttpRequestMessage request,
        CancellationToken cancellationToken
    )
    {
        if (options.Value.Scope is { } scope)
        {
            try
            {
                var token = await provider
                    .GetRequiredService<TokenCredential>()
                    .GetTokenAsync(new([scope]), cancellationToken);
                request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token.Token);
            }
            catch (AuthenticationFailedException exception)
            {
                throw new HttpRequestException($"CallerToken:Scope: no token. {exception.Message}", exception);
            }
        }
        return await base.SendAsync(request, cancellationToken);
    }
}
