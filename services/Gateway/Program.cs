using DroneDelivery.Gateway.Forwarding;
using DroneDelivery.Gateway.Policies;
using DroneDelivery.Gateway.Routes;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Calls;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("gateway");
builder.AddGatewayOptions();
builder.Services.AddServiceForwarder("ingestion");
builder.Services.AddSingleton<SubscriptionKeys>();
builder.Services.AddSingleton<ForwardRequest>();

var app = builder.Build();
app.MapServiceDefaults();
((IEndpointRouteBuilder)app).DataSources.Add(new GatewayRoutes(app.Services));
return await app.RunServiceAsync();
