using System.Net.Http.Headers;
using Azure.Core;
using Azure.Identity;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Calls;

/// <summary>Adds a token of this process to each attempt, if a scope is set. The credential caches the token.</summary>
internal sealed class CallerToken(IOptions<CallerTokenOptions> options, IServiceProvider provider) : DelegatingHandler
{
    protected override async Task<HttpResponseMessage> SendAsync(
        HttpRequestMessage request,
        CancellationToken cancellationToken
    )
    {
        if (options.Value.Scope is { } scope)
            request.Headers.Authorization = await GetTokenAsync(scope, cancellationToken);
        return await base.SendAsync(request, cancellationToken);
    }

    private async Task<AuthenticationHeaderValue> GetTokenAsync(string scope, CancellationToken cancellationToken)
    {
        try
        {
            var credential = provider.GetRequiredService<TokenCredential>();
            var token = await credential.GetTokenAsync(new([scope]), cancellationToken);
            return new("Bearer", token.Token);
        }
        catch (AuthenticationFailedException exception)
        {
            throw new HttpRequestException($"CallerToken:Scope: no token. {exception.Message}", exception);
        }
    }
}
