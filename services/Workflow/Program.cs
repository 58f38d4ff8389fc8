using DroneDelivery.Contracts;
using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Calls;
using DroneDelivery.Workflow;
using DroneDelivery.Workflow.Calls;
using DroneDelivery.Workflow.Receiving;
using DroneDelivery.Workflow.Supervising;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("workflow", ContractJson.Configure);
builder.Services.AddServiceBus();
builder.Services.AddWorkflowOptions();
builder.Services.AddServiceClient<PackageClient>("package");
builder.Services.AddServiceClient<DroneSchedulerClient>("dronescheduler");
builder.Services.AddServiceClient<DeliveryClient>("delivery");
builder.Services.AddSingleton<DeliveryWorkflow>();
builder.Services.AddDeadLetterSupervisor();
builder.Services.AddDeliveryRequestListener();

var app = builder.Build();
app.MapServiceDefaults();
return await app.RunServiceAsync();
