using DroneDelivery.Contracts;
using DroneDelivery.Ingestion;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Calls;
using DroneDelivery.Shared;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("ingestion", ContractJson.Configure);
builder.Services.AddServiceBus(DeliveryQueue.Configure);
builder.Services.AddSingleton<AcceptanceClock>();
builder.Services.AddSingleton<DeliveryQueue>();
builder.Services.AddHealthChecks().AddCheck<QueueOpened>("queue");
builder.Services.AddServiceClient<DeliveryStatusClient>("delivery");

var app = builder.Build();
app.MapServiceDefaults();

var requests = app.MapApi("/api/deliveryrequests").ProducesValidationProblem().ProducesProblem(StatusCodes.Status503ServiceUnavailable);
requests.MapPost("", ScheduleDelivery.HandleAsync);
requests.MapGet("/{id}", FollowDelivery.HandleAsync);
requests.MapPatch("/{id}", RescheduleDelivery.HandleAsync);
requests.MapDelete("/{id}", CancelDelivery.HandleAsync);

return await app.RunServiceAsync();
